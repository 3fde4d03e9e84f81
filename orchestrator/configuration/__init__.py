"""What a campaign is asked to do: configuration keys, their layers, and the request made of them."""
