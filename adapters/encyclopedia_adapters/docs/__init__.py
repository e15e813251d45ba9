"""Documentation services over the network."""
