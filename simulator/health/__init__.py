"""Health of a campaign: whether its passing tests mean anything."""
