export {
  chooseFamilies,
  countOmittedServices,
  type FamilyChoice,
  formatOmittedFamilyWarning,
} from './print/choose-families.js'
export { printNodeScript } from './print/print-node-script.js'
export { printResultJson, printResultLines, printResultText, type TextLine } from './print/print-result.js'
export { assertFormatSupported, assertOptionsApplicable, type TextFormatOptions } from './print/text-format.js'
