"""What forbids to answer one question with the answer to another, however close their vectors are."""
