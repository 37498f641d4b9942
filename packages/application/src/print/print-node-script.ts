import { type CompileResult, type IptablesBackend, reconcile, toCommands } from '@kube-rules/compiler'
import { printScript } from '../script/print-script.js'

/**
 * Prints a script for `sh` that gives a node the rules of a result, including the jumps from built-in chains. The
 * script works regardless of the kube-proxy rules that the node already has. A second run changes nothing. The script
 * does not delete connections.
 */
export function printNodeScript(result: CompileResult, backend: IptablesBackend | undefined): string {
  return printScript(toCommands(reconcile(undefined, result, { staleConnections: new Map() }), { backend }))
}
