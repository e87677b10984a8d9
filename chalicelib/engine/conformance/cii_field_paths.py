"""Table of CII elements and the invoice fields that they are written from."""

from typing import Final

type FieldPaths = dict[str, str | FieldPaths]

# Fields of elements of one name that hold different fields: which one tells the invoice.
ADJUSTMENT: Final = "allowances|charges"
ADDITIONAL_DOCUMENT: Final = "supporting_documents|references"
SELLER_REGISTRATION: Final = "vat_id|tax_number"
# Each element adds its value to the path of its parent: `x[]` is an entry of a list, `x[^]` one at
# the position of the parent, `^x` replaces the last name of the path, and `""` holds the value of
# an element that has children in the table.
_ADDRESS: Final[FieldPaths] = {
    "": "address",
    "PostcodeCode": "postcode",
    "LineOne": "line1",
    "LineTwo": "line2",
    "LineThree": "line3",
    "CityName": "city",
    "CountryID": "country",
    "CountrySubDivisionName": "subdivision",
}
_CONTACT: Final[FieldPaths] = {
    "": "contact",
    "PersonName": "name",
    "TelephoneUniversalCommunication": "phone",
    "EmailURIUniversalCommunication": "email",
}


def _identifier(field: str, attribute: str = "@schemeID") -> FieldPaths:
    return {"": field, attribute: "scheme"}


def _party(name: str) -> FieldPaths:
    return {
        "": name,
        "GlobalID": "identifiers" if name == "seller" else _identifier("identifier"),
        "Name": "name",
        "SpecifiedLegalOrganization": {
            "": "",
            "ID": _identifier("legal_registration"),
            "TradingBusinessName": "trading_name",
        },
        "DefinedTradeContact": _CONTACT,
        "PostalTradeAddress": _ADDRESS,
        "URIUniversalCommunication": {"": "electronic_address", "URIID": _identifier("")},
        "SpecifiedTaxRegistration": SELLER_REGISTRATION if name == "seller" else "vat_id",
    }


_VAT: Final[FieldPaths] = {"": "vat", "CategoryCode": "category", "RateApplicablePercent": "rate"}
_ADJUSTMENT: Final[FieldPaths] = {
    "": ADJUSTMENT,
    "CalculationPercent": "percent",
    "BasisAmount": "base_amount",
    "ActualAmount": "amount",
    "ReasonCode": "reason_code",
    "Reason": "reason",
    "CategoryTradeTax": _VAT,
}
_LINE: Final[FieldPaths] = {
    "": "lines[]",
    "AssociatedDocumentLineDocument": {"": "", "LineID": "id", "IncludedNote": "note"},
    "SpecifiedTradeProduct": {
        "": "item",
        "GlobalID": _identifier("standard_id"),
        "SellerAssignedID": "seller_id",
        "BuyerAssignedID": "buyer_id",
        "Name": "name",
        "Description": "description",
        "ApplicableProductCharacteristic": "attributes[]",
        "DesignatedProductClassification": {
            "": "classifications[]",
            "ClassCode": _identifier("", "@listID"),
        },
        "OriginTradeCountry": "origin_country",
    },
    "SpecifiedLineTradeAgreement": {
        "": "",
        "BuyerOrderReferencedDocument": "order_line_reference",
        "GrossPriceProductTradePrice": "price.gross",
        "NetPriceProductTradePrice": {
            "": "price.net",
            "BasisQuantity": {"": "^price.base_quantity", "@unitCode": "^price.base_unit"},
        },
    },
    "SpecifiedLineTradeDelivery": {
        "": "",
        "BilledQuantity": {"": "quantity", "@unitCode": "^unit"},
    },
    "SpecifiedLineTradeSettlement": {
        "": "",
        "ApplicableTradeTax": _VAT,
        "BillingSpecifiedPeriod": "period",
        "SpecifiedTradeAllowanceCharge": _ADJUSTMENT,
        "SpecifiedTradeSettlementLineMonetarySummation": "net_amount",
        "AdditionalReferencedDocument": {
            "": "object_identifier",
            "ReferenceTypeCode": "scheme",
        },
        "ReceivableSpecifiedTradeAccountingAccount": "accounting_reference",
    },
}
CII_FIELD_PATHS: Final[FieldPaths] = {
    "ExchangedDocument": {
        "": "",
        "ID": "number",
        "TypeCode": "type_code",
        "IssueDateTime": "issue_date",
        "IncludedNote": {"": "notes[]", "Content": "text", "SubjectCode": "subject_code"},
    },
    "SupplyChainTradeTransaction": {
        "": "",
        "IncludedSupplyChainTradeLineItem": _LINE,
        "ApplicableHeaderTradeAgreement": {
            "": "",
            "BuyerReference": "buyer_reference",
            "SellerTradeParty": _party("seller"),
            "BuyerTradeParty": _party("buyer"),
            "SellerTaxRepresentativeTradeParty": _party("tax_representative"),
            "SellerOrderReferencedDocument": "sales_order_reference",
            "BuyerOrderReferencedDocument": "order_reference",
            "ContractReferencedDocument": "contract_reference",
            "AdditionalReferencedDocument": {
                "": ADDITIONAL_DOCUMENT,
                "IssuerAssignedID": "id",
                "URIID": "url",
                "Name": "description",
                "AttachmentBinaryObject": {
                    "": "",
                    "@mimeCode": "content_type",
                    "@filename": "filename",
                },
            },
            "SpecifiedProcuringProject": "project_reference",
        },
        "ApplicableHeaderTradeDelivery": {
            "": "",
            "ShipToTradeParty": {
                "": "delivery",
                "ID": "location",
                "GlobalID": _identifier("location"),
                "Name": "party_name",
                "PostalTradeAddress": _ADDRESS,
            },
            "ActualDeliverySupplyChainEvent": "delivery.date",
            "DespatchAdviceReferencedDocument": "despatch_advice_reference",
            "ReceivingAdviceReferencedDocument": "receiving_advice_reference",
        },
        "ApplicableHeaderTradeSettlement": {
            "": "",
            "CreditorReferenceID": "payment.direct_debit.creditor_id",
            "PaymentReference": "payment.remittance_information",
            "TaxCurrencyCode": "tax_currency",
            "InvoiceCurrencyCode": "currency",
            "PayeeTradeParty": _party("payee"),
            "SpecifiedTradeSettlementPaymentMeans": {
                "": "payment",
                "TypeCode": "means_code",
                "Information": "means_text",
                "ApplicableTradeSettlementFinancialCard": {
                    "": "card",
                    "ID": "primary_account_number",
                    "CardholderName": "holder_name",
                },
                "PayerPartyDebtorFinancialAccount": "direct_debit.debited_account",
                "PayeePartyCreditorFinancialAccount": {
                    "": "credit_transfers[^]",
                    "IBANID": "account_id",
                    "ProprietaryID": "account_id",
                    "AccountName": "account_name",
                },
                "PayeeSpecifiedCreditorFinancialInstitution": "credit_transfers[^].bic",
            },
            "BillingSpecifiedPeriod": "invoice_period",
            "SpecifiedTradeAllowanceCharge": _ADJUSTMENT,
            "SpecifiedTradePaymentTerms": {
                "": "",
                "Description": "payment_terms",
                "DueDateDateTime": "due_date",
                "DirectDebitMandateID": "payment.direct_debit.mandate_reference",
            },
            "SpecifiedTradeSettlementHeaderMonetarySummation": {
                "": "",
                "RoundingAmount": "rounding_amount",
                "TotalPrepaidAmount": "prepaid_amount",
            },
            "InvoiceReferencedDocument": "preceding_invoices[]",
            "ReceivableSpecifiedTradeAccountingAccount": "buyer_accounting_reference",
        },
    },
}
