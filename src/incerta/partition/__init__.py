"""The k-means family: moments, seeding, reassignment, medoids."""
