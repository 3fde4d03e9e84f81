"""The page on which people watch and steer a campaign."""
