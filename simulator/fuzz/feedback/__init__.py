"""What sequences have reached: features, their measurement, trimming to what reaches them."""
