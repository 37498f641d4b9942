import type { IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compile.js'
import type { Backend } from '../../src/dataplane/language.js'
import type { Run } from '../../src/dataplane/netfilter/run.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import type { FamilyReport } from '../../src/verify/report.js'
import { verify } from '../../src/verify.js'

/** What `verify` says of one family of a machine of which this is the dump. */
export function reportOf(result: CompileResult, family: IpFamily, dump: string, backend: Backend): FamilyReport {
  const parsed = parseDump(dump, { family })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  const report = verify(result, parsed.dump, { backend }).families.find((each) => each.family === family)
  if (report === undefined) throw new Error(family)
  return report
}

/** The runs by which `verify` repairs such a machine; rules of others stay. */
export function repairStages(result: CompileResult, family: IpFamily, dump: string, backend: Backend): readonly Run[] {
  return reportOf(result, family, dump, backend).repair
}
