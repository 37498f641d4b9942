/**
 * Escapes all characters that a terminal interprets or that disguise text, with the notation of JSON (`\u001b`). These
 * are control characters including line breaks, direction marks, invisible characters, and lone surrogates.
 */
export function escapeControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => character.split('').map(escapeUnit).join(''))
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
