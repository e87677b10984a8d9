"""Canvas templates: from a scene and data to one HTML page; knows no browser and no tenant."""
