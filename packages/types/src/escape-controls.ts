/**
 * The text with every character written out, as JSON does (`\u001b`), that a terminal obeys or that makes text look other
 * than it is: controls, line breaks among them, marks of direction, what cannot be seen, and halves of characters.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => character.split('').map(escapeUnit).join(''))
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
