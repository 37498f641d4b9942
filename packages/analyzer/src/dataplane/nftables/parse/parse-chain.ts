import type { BaseChain, ChainPolicy, Rule, TableFamily } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { peekToken } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { isValidPriority, parsePriorityName } from '@kube-rules/compiler/internal/dataplane/nftables/priority'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { parseRule } from './parse-rule.js'
import { type NftablesParser, recordProblem, recordUnexpectedToken } from './problem.js'
import { readBlock } from './read-block.js'
import { consumeText, consumeWord, endsStatement, isWord, skipLines, skipPunctuation, skipWord } from './tokens.js'

/** The content between the braces of a chain. */
export interface ChainBody {
  readonly base?: BaseChain | undefined
  readonly comment?: string | undefined
  readonly rules: readonly Rule[]
}

/** Parses the body of a chain up to the closing brace. The cursor is after the opening brace. */
export function parseChainBody(reader: NftablesParser, family: TableFamily): ChainBody {
  const rules: Rule[] = []
  const head: { base?: BaseChain | undefined; comment?: string | undefined } = {}
  readBlock(reader, 'chain', (token) => {
    if (isWord(token, 'type')) head.base = parseBase(reader, family) ?? head.base
    else if (isWord(token, 'policy') && head.base !== undefined) head.base = withPolicy(reader, head.base)
    else if (isWord(token, 'comment')) {
      skipWord(reader, 'comment')
      head.comment = consumeText(reader)
      if (head.comment === undefined) recordUnexpectedToken(reader, 'a comment', peekToken(reader))
    } else {
      const rule = parseRule(reader)
      if (rule !== undefined) rules.push(rule)
    }
  })
  const { base, comment } = head
  return { ...(base !== undefined && { base }), ...(comment !== undefined && { comment }), rules: compactList(rules) }
}

/** Parses `type filter hook input priority filter - 10`. */
function parseBase(reader: NftablesParser, family: TableFamily): BaseChain | undefined {
  skipWord(reader, 'type')
  const type = consumeWord(reader)
  if (type === undefined || !skipWord(reader, 'hook'))
    return recordUnexpectedToken(reader, 'type TYPE hook HOOK', peekToken(reader))
  const hook = consumeWord(reader)
  if (hook === undefined) return recordUnexpectedToken(reader, 'a hook', peekToken(reader))
  const devices = parseDevices(reader)
  if (devices === undefined || !skipWord(reader, 'priority'))
    return recordUnexpectedToken(reader, 'priority', peekToken(reader))
  const token = peekToken(reader)
  const priority = parsePriority(reader, family)
  if (priority === undefined || !isValidPriority(priority))
    return recordProblem(reader, 'invalidValue', 'this is not a priority of the family', token)
  if (!endsStatement(peekToken(reader)))
    return recordUnexpectedToken(reader, 'the end of the priority', peekToken(reader))
  return { type, hook, ...(devices.length > 0 && { devices }), priority }
}

/** Parses `device "lo"`, `devices = { "lo", "eth0" }`, or nothing. */
function parseDevices(reader: NftablesParser): readonly string[] | undefined {
  if (skipWord(reader, 'device')) {
    const device = consumeText(reader)
    return device === undefined ? undefined : [device]
  }
  if (!skipWord(reader, 'devices')) return []
  if (!skipWord(reader, '=') || !skipPunctuation(reader, '{')) return undefined
  const devices: string[] = []
  do {
    skipLines(reader)
    const device = consumeText(reader)
    if (device === undefined) return undefined
    devices.push(device)
    skipLines(reader)
  } while (skipPunctuation(reader, ','))
  return skipPunctuation(reader, '}') ? devices : undefined
}

/** Parses `-110`, `filter`, `dstnat - 10` or `dstnat -10`. */
function parsePriority(reader: NftablesParser, family: TableFamily): number | undefined {
  const word = consumeWord(reader) ?? ''
  if (/^[+-]?\d{1,10}$/.test(word)) return Number(word)
  const base = parsePriorityName(word, family)
  const next = peekToken(reader)
  if (base === undefined || next.kind !== 'word') return base
  const sign = consumeWord(reader) ?? ''
  const offset = sign === '+' || sign === '-' ? sign + (consumeWord(reader) ?? '') : sign
  return /^[+-]\d{1,10}$/.test(offset) ? base + Number(offset) : undefined
}

function withPolicy(reader: NftablesParser, base: BaseChain): BaseChain {
  skipWord(reader, 'policy')
  const token = peekToken(reader)
  const policy = consumeWord(reader)
  if (policy === 'accept' || policy === 'drop') return { ...base, policy: policy satisfies ChainPolicy }
  recordUnexpectedToken(reader, 'accept or drop', token)
  return base
}
