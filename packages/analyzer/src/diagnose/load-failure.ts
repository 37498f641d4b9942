import type { CompileResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import { print } from '@kube-rules/compiler/internal/print/print'
import { type Diagnostic, formatReference } from '@kube-rules/types'
import type { InvalidRule } from './packet-diagnosis-context.js'
import { type CompileArguments, createServiceAlternatives, type ServiceAlternatives } from './service-alternatives.js'

/**
 * Returns the reason why the rules of kube-proxy fail to load: a comment that is too long, or a match on a prefix of
 * the interface name.
 */
export function findLoadFailure(
  result: CompileResult,
  decision: Decision,
  state: NodeState,
  from: CompileArguments,
): InvalidRule | undefined {
  const diagnostic = result.diagnostics.find(isInvalidRuleCode)
  if (diagnostic === undefined || decision.kind === 'unmatched') return undefined
  const { namespace = '', name } = diagnostic.object
  const isOfService = diagnostic.object.kind === 'Service'
  const lines = print(state, { format: 'save' }).split('\n')
  const line = lines.find((each) =>
    isOfService ? tooLongComment(each, `${namespace}/${name}`) : matchesInterfacePrefix(each),
  )
  if (line === undefined) return undefined
  const others: ServiceAlternatives = createServiceAlternatives(result, from, { namespace, name })
  const bytes = isOfService ? tooLongComment(line, `${namespace}/${name}`) : undefined
  return {
    object: isOfService ? formatReference(diagnostic.object) : diagnostic.object.kind,
    service: isOfService ? { namespace, name } : undefined,
    reason:
      bytes === undefined
        ? `its detectLocalMode matches pods by a prefix of the interface name (${/iif (?:!= )?"([^"]*)"/.exec(line)?.[1]}), and nft accepts complete names only`
        : `kube-proxy writes its name and the name of its port into a comment of ${bytes} bytes, and the limit of nft is 128`,
    rule: line.trim(),
    fixedIn: others.firstVersion(({ diagnostics }) => !diagnostics.some(isInvalidRuleCode)),
  }
}

function matchesInterfacePrefix(line: string): boolean {
  const start = line.search(/\biif\b/)
  return start >= 0 && line.includes('*', start)
}

function isInvalidRuleCode({ code, object, message }: Diagnostic): boolean {
  return (
    code === 'modeLimitation' &&
    (object.kind === 'KubeProxyConfiguration' || /\((?:commentTooLong|overlappingSourceRanges)\)$/.test(message))
  )
}

/**
 * Returns the length of a comment about this Service if it exceeds the limit of nft. The limit is in bytes, which equal
 * characters, because names are plain ASCII.
 */
function tooLongComment(line: string, service: string): number | undefined {
  const [, comment = ''] = /comment "([^"]*)"/.exec(line) ?? []
  return comment.startsWith(service) && comment.length > 128 ? comment.length : undefined
}
