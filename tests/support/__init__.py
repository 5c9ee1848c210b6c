"""What tests share; knows nothing of what they test."""
