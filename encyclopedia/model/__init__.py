"""Values: one module per station of a query's way, so that the listing is the flow."""
