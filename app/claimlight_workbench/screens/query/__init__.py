"""The query: claims, features, date and legs."""
