"""First entries of a campaign's corpus, besides those of its folder."""
