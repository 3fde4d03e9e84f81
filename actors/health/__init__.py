"""The health of a campaign, put together from what its actors know."""
