const LONGEST_LABEL = 63

/** Whether `text` is a DNS label (RFC 1123): `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, at most 63 characters. */
export function isDnsLabel(text: string): boolean {
  if (text.length === 0 || text.length > LONGEST_LABEL) return false
  for (let index = 0; index < text.length; index += 1) {
    if (!isAlphanumeric(text.charCodeAt(index)) && !isInnerHyphen(text, index)) return false
  }
  return true
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
}

function isInnerHyphen(text: string, index: number): boolean {
  return text[index] === '-' && index > 0 && index < text.length - 1
}
