/** Codes that invoices often have, in words. Fields take other codes too. */
export const invoiceCodes = {
  invoiceCodes: {
    currency: { EUR: 'Euro', USD: 'US dollar', GBP: 'Pound sterling', CHF: 'Swiss franc', SEK: 'Swedish krona', NOK: 'Norwegian krone', DKK: 'Danish krone', PLN: 'Polish złoty', CZK: 'Czech koruna', HUF: 'Hungarian forint' },
    country: { DE: 'Germany', AT: 'Austria', BE: 'Belgium', CH: 'Switzerland', DK: 'Denmark', ES: 'Spain', FI: 'Finland', FR: 'France', GB: 'United Kingdom', IE: 'Ireland', IT: 'Italy', LU: 'Luxembourg', NL: 'Netherlands', NO: 'Norway', PL: 'Poland', PT: 'Portugal', SE: 'Sweden', US: 'United States' },
    unit: { C62: 'One', H87: 'Piece', HUR: 'Hour', DAY: 'Day', MON: 'Month', KGM: 'Kilogram', TNE: 'Tonne', MTR: 'Metre', MTK: 'Square metre', MTQ: 'Cubic metre', KMT: 'Kilometre', LTR: 'Litre', KWH: 'Kilowatt hour', LS: 'Lump sum', SET: 'Set', XPP: 'Package' },
    means_code: { '58': 'SEPA credit transfer', '30': 'Credit transfer', '59': 'SEPA direct debit', '49': 'Direct debit', '48': 'Card', '54': 'Credit card', '55': 'Debit card', '10': 'Cash', '57': 'Standing agreement', '97': 'Netting', '1': 'Not defined' },
    scheme: { EM: 'Email address', '0088': 'GLN', '0204': 'Leitweg-ID', '9930': 'German VAT ID', '9914': 'Austrian VAT ID', '0208': 'Belgian enterprise number', '0192': 'Norwegian organisation number', '0007': 'Swedish organisation number', '0106': 'Dutch chamber of commerce', '0190': 'Dutch OIN', '9957': 'French VAT ID', '0009': 'SIRET', '0060': 'DUNS', '0160': 'GTIN' },
    type_code: { '380': 'Invoice', '381': 'Credit note', '384': 'Corrected invoice', '389': 'Self-billed invoice', '326': 'Partial invoice', '386': 'Prepayment invoice' },
  } as Record<string, Record<string, string>>,
} as const;
