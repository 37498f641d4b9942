export { chooseFamilies, countOmittedFamilies, type FamilyChoice, omittedFamilyLines } from './print/choose-families.js'
export { printNodeScript } from './print/print-node-script.js'
export { printJson, printText, type TextLine, textLines } from './print/print-result.js'
export { rejectContradiction, rejectForMode, type TextFormatOptions } from './print/text-format.js'
