"""The layer of the validators: veraPDF, Saxon, the official rule sheets, a Java runtime."""
