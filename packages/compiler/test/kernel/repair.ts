import type { IpFamily } from '@kube-rules/types'
import type { FamilyReport } from '../../../analyzer/src/verify/report.js'
import { verify } from '../../../analyzer/src/verify/verify.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { IptablesBackend } from '../../src/dataplane/tool-options.js'
import { readDump } from '../support/read-dump.js'

/** Returns the report of `verify` for one family of a machine with this dump. */
export function reportOf(
  result: CompileResult,
  family: IpFamily,
  dump: string,
  backend: IptablesBackend,
): FamilyReport {
  const report = verify(result, readDump(dump, { family }), { backend }).families.find((each) => each.family === family)
  if (report === undefined) throw new Error(family)
  return report
}

/** Returns the repair commands of `verify` for such a machine; foreign rules remain. */
export function repairRuns(
  result: CompileResult,
  family: IpFamily,
  dump: string,
  backend: IptablesBackend,
): readonly ToolCommand[] {
  return reportOf(result, family, dump, backend).repair
}
