export { answerBackEnds, answerNode, type HeldBackEnd, type NodeAnswerOptions } from '../answers.js'
export type { DriftKind } from '../dataplane/comparison.js'
export { hostTold } from '../host-told.js'
export type { Doubt, Drift, DriftGroup, FamilyReport, NodeVerdict, Unverified } from '../verify/report.js'
