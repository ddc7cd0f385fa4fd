"""The desk: where conversations wait for people, who may take them, and who has them."""
