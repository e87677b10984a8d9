"""Layer of the validators: veraPDF, Saxon, the official rule sheets and a Java runtime."""
