export {
  type ComparedFamily,
  type ComparedState,
  comparedFamily,
  compareFamilies,
  printTrafficReport,
} from '../commands/compare/compared-families.js'
export { type Answered, explainPackets, printAnswered } from '../commands/explain/answered.js'
export { type Destination, type Place, readDestination, type ServiceName } from '../commands/explain/destination.js'
export {
  type ExplainedFamily,
  type ExplainedNode,
  nodeOfCluster,
  nodeOfDump,
} from '../commands/explain/explained-node.js'
export { type ExplainedPacket, packetsTo } from '../commands/explain/packets.js'
export {
  chooseFamilies,
  countOthers,
  type FamilyChoice,
  omittedFamilyLines,
} from '../commands/print/choose-families.js'
export { printText, type TextLine, textLines } from '../commands/print/print-result.js'
export type { SpellingOptions } from '../commands/print/spelling.js'
export {
  comparedText,
  type Judged,
  type JudgeOptions,
  judgeNode,
  printJudged,
  refuseUnverified,
  verifiedFamilies,
} from '../commands/verify/judged-node.js'
export { printScript } from '../report/print-script.js'
