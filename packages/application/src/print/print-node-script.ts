import { type CompileResult, type IptablesBackend, reconcile, toCommands } from '@kube-rules/compiler'
import { printScript } from '../script/print-script.js'

/**
 * Prints a script for `sh` that gives a node the rules of a result, with the jumps from built-in chains, regardless of
 * its existing rules of kube-proxy. Running it again changes nothing. It does not delete connections.
 */
export function printNodeScript(result: CompileResult, backend: IptablesBackend | undefined): string {
  return printScript(toCommands(reconcile(undefined, result, { staleConnections: new Map() }), { backend }))
}
