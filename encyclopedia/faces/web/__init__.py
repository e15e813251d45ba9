"""The web page: plain HTML made from the same bodies that every face shows; works without a script."""
