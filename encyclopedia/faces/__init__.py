"""What people and programs see: one report, rendered in several ways."""
