"""Texts that code checks in requests: the types of the same names in `contract/field_types.py`."""

type AssetContent = str
type AssetPath = str
type BareMediaType = str
type Base64 = str
type Color = str
type CookieDomain = str
type CookieName = str
type CookiePath = str
type CookieValue = str
type DocumentDate = str
type DocumentLanguage = str
type FileId = str
type FileName = str
type HeaderName = str
type HeaderValue = str
type LanguageTag = str
type Length = str
type MediaType = str
type NewPassword = str
type PageRanges = str
type Password = str
type PositiveLength = str
type TimeZone = str
type UploadId = str
type Url = str
type UserAgent = str
