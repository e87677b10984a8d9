"""Table of UBL elements and the invoice fields that they are written from."""

from typing import Final

from chalicelib.engine.conformance.cii_field_paths import (
    ADDITIONAL_DOCUMENT,
    ADJUSTMENT,
    SELLER_REGISTRATION,
    FieldPaths,
)

_ADDRESS: Final[FieldPaths] = {
    "": "address",
    "StreetName": "line1",
    "AdditionalStreetName": "line2",
    "AddressLine": "line3",
    "CityName": "city",
    "PostalZone": "postcode",
    "CountrySubentity": "subdivision",
    "Country": "country",
}
_IDENTIFIER: Final[FieldPaths] = {"": "", "@schemeID": "scheme"}
_IDENTIFICATION: Final[FieldPaths] = {"": "identifier", "ID": _IDENTIFIER}
_REGISTRATION: Final[FieldPaths] = {
    "": "",
    "CompanyID": {"": "legal_registration", "@schemeID": "scheme"},
}
_PARTY: Final[FieldPaths] = {
    "": "",
    "EndpointID": {"": "electronic_address", "@schemeID": "scheme"},
    "PartyName": "trading_name",
    "PostalAddress": _ADDRESS,
    "PartyLegalEntity": {
        **_REGISTRATION,
        "RegistrationName": "name",
        "CompanyLegalForm": "legal_info",
    },
    "Contact": {"": "contact", "Name": "name", "Telephone": "phone", "ElectronicMail": "email"},
}
_VAT: Final[FieldPaths] = {"": "vat", "ID": "category", "Percent": "rate"}
_ADJUSTMENT: Final[FieldPaths] = {
    "": ADJUSTMENT,
    "AllowanceChargeReasonCode": "reason_code",
    "AllowanceChargeReason": "reason",
    "MultiplierFactorNumeric": "percent",
    "Amount": "amount",
    "BaseAmount": "base_amount",
    "TaxCategory": _VAT,
}
_QUANTITY: Final[FieldPaths] = {"": "quantity", "@unitCode": "^unit"}
_LINE: Final[FieldPaths] = {
    "": "lines[]",
    "ID": "id",
    "Note": "note",
    "InvoicedQuantity": _QUANTITY,
    "CreditedQuantity": _QUANTITY,
    "LineExtensionAmount": "net_amount",
    "AccountingCost": "accounting_reference",
    "InvoicePeriod": "period",
    "OrderLineReference": "order_line_reference",
    "DocumentReference": {"": "object_identifier", "ID": _IDENTIFIER},
    "AllowanceCharge": _ADJUSTMENT,
    "Item": {
        "": "item",
        "Description": "description",
        "Name": "name",
        "BuyersItemIdentification": "buyer_id",
        "SellersItemIdentification": "seller_id",
        "StandardItemIdentification": {"": "standard_id", "ID": _IDENTIFIER},
        "OriginCountry": "origin_country",
        "CommodityClassification": {
            "": "classifications[]",
            "ItemClassificationCode": {"": "", "@listID": "scheme"},
        },
        "ClassifiedTaxCategory": {"": "^vat", "ID": "category", "Percent": "rate"},
        "AdditionalItemProperty": "attributes[]",
    },
    "Price": {
        "": "price",
        "PriceAmount": "net",
        "BaseQuantity": {"": "base_quantity", "@unitCode": "^base_unit"},
    },
}
UBL_FIELD_PATHS: Final[FieldPaths] = {
    "ID": "number",
    "IssueDate": "issue_date",
    "DueDate": "due_date",
    "InvoiceTypeCode": "type_code",
    "CreditNoteTypeCode": "type_code",
    "Note": "notes[]",
    "TaxPointDate": "tax_point_date",
    "DocumentCurrencyCode": "currency",
    "TaxCurrencyCode": "tax_currency",
    "AccountingCost": "buyer_accounting_reference",
    "BuyerReference": "buyer_reference",
    "InvoicePeriod": {"": "invoice_period", "DescriptionCode": "^tax_point_date_code"},
    "OrderReference": {"": "", "ID": "order_reference", "SalesOrderID": "sales_order_reference"},
    "BillingReference": "preceding_invoices[]",
    "DespatchDocumentReference": "despatch_advice_reference",
    "ReceiptDocumentReference": "receiving_advice_reference",
    "OriginatorDocumentReference": "tender_reference",
    "ContractDocumentReference": "contract_reference",
    "AdditionalDocumentReference": {
        "": ADDITIONAL_DOCUMENT,
        "ID": "id",
        "DocumentDescription": "description",
        "Attachment": {
            "": "",
            "EmbeddedDocumentBinaryObject": {
                "": "",
                "@mimeCode": "content_type",
                "@filename": "filename",
            },
            "ExternalReference": "url",
        },
    },
    "ProjectReference": "project_reference",
    "AccountingSupplierParty": {
        "": "seller",
        "Party": {
            **_PARTY,
            "PartyIdentification": "identifiers",
            "PartyTaxScheme": SELLER_REGISTRATION,
        },
    },
    "AccountingCustomerParty": {
        "": "buyer",
        "Party": {
            **_PARTY,
            "PartyIdentification": _IDENTIFICATION,
            "PartyTaxScheme": "vat_id",
        },
    },
    "PayeeParty": {
        "": "payee",
        "PartyIdentification": _IDENTIFICATION,
        "PartyName": "name",
        "PartyLegalEntity": _REGISTRATION,
    },
    "TaxRepresentativeParty": {
        "": "tax_representative",
        "PartyName": "name",
        "PostalAddress": _ADDRESS,
        "PartyTaxScheme": "vat_id",
    },
    "Delivery": {
        "": "delivery",
        "ActualDeliveryDate": "date",
        "DeliveryLocation": {
            "": "",
            "ID": {"": "location", "@schemeID": "scheme"},
            "Address": _ADDRESS,
        },
        "DeliveryParty": "party_name",
    },
    "PaymentMeans": {
        "": "payment",
        "PaymentMeansCode": "means_code",
        "PaymentDueDate": "^due_date",
        "PaymentID": "remittance_information",
        "CardAccount": {
            "": "card",
            "PrimaryAccountNumberID": "primary_account_number",
            "HolderName": "holder_name",
        },
        "PayeeFinancialAccount": {
            "": "credit_transfers[^]",
            "ID": "account_id",
            "Name": "account_name",
            "FinancialInstitutionBranch": "bic",
        },
        "PaymentMandate": {
            "": "direct_debit",
            "ID": "mandate_reference",
            "PayerFinancialAccount": "debited_account",
        },
    },
    "PaymentTerms": "payment_terms",
    "AllowanceCharge": _ADJUSTMENT,
    "LegalMonetaryTotal": {
        "": "",
        "PrepaidAmount": "prepaid_amount",
        "PayableRoundingAmount": "rounding_amount",
    },
    "InvoiceLine": _LINE,
    "CreditNoteLine": _LINE,
}
