"""What every benchmark shares: rounds, the machine it ran on, Markdown tables, errors."""
