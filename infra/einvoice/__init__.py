"""What generates the data of e-invoices."""
