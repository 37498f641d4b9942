export { chooseFamilies, countOthers, type FamilyChoice, omittedFamilyLines } from './print/choose-families.js'
export { printJson, printText, type TextLine, textLines } from './print/print-result.js'
export { refuseContradiction, refuseForMode, type SpellingOptions } from './print/spelling.js'
