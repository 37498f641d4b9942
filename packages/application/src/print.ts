export {
  chooseFamilies,
  countOmittedServices,
  type FamilyChoice,
  formatOmittedFamilyWarning,
} from './print/choose-families.js'
export { printNodeScript } from './print/print-node-script.js'
export { printJson, printText, printTextLines, type TextLine } from './print/print-result.js'
export { rejectInapplicableOptions, rejectMismatchedFormat, type TextFormatOptions } from './print/text-format.js'
