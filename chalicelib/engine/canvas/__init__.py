"""Canvas templates: a scene and data become one HTML page; knows no browser and no tenant."""
