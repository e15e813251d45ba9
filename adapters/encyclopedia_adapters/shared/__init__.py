"""What several adapters stand on; it leans on none of them."""
