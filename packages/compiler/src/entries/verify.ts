export type { DriftKind } from '../dataplane/comparison.js'
export type { Drift, DriftGroup, FamilyReport, Unverified } from '../verify/report.js'
