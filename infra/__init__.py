"""Tools to run, build, measure, deploy and operate Platen; nothing here is deployed itself."""
