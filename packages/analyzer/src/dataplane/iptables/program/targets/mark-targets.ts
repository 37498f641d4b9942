import { FULL_MASK, parseMark } from '@kube-rules/compiler/internal/dataplane/iptables/mark'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { negate } from '../../../../program/literals.js'
import type { Effect } from '../../../../program/program.js'
import { IN_BY_LOOPBACK, trackedLiteral } from '../literals.js'
import { findValue, hasOption, type ModuleOption } from '../module-options.js'
import { type Action, actionOf, type TargetModule } from './target-module.js'

/** Operations that set bits of a mark: mark = (mark & ~clear) ^ flip. */
interface MarkOperation {
  readonly clear: number
  readonly flip: number
}

/** Reads an option that sets a mark. Undefined for other options and values. */
function readMarkOperation({ name, values: [text] }: ModuleOption): MarkOperation | undefined {
  const mark = parseMark(text)
  if (mark === undefined) return undefined
  const { value, mask } = mark
  if (name === '--set-xmark') return { clear: mask, flip: value }
  if (name === '--set-mark') return { clear: (mask | value) >>> 0, flip: value }
  if (text?.includes('/')) return undefined
  switch (name) {
    case '--or-mark':
      return { clear: value, flip: value }
    case '--and-mark':
      return { clear: ~value >>> 0, flip: 0 }
    case '--xor-mark':
      return { clear: 0, flip: value }
    default:
      return undefined
  }
}

const OPERATIONS = { '--set-xmark': 1, '--set-mark': 1, '--or-mark': 1, '--and-mark': 1, '--xor-mark': 1 }

const MARK: TargetModule = {
  name: 'MARK',
  meanings: [{ options: '', decision: 'decided', reason: 'changes the mark of the packet' }],
  syntax: OPERATIONS,
  lower: ([option, ...others]) => {
    const operation = option && readMarkOperation(option)
    return operation && others.length === 0 ? actionOf({ kind: 'setMark', of: 'packet', ...operation }) : undefined
  },
}

const CONNMARK: TargetModule = {
  name: 'CONNMARK',
  meanings: [
    {
      options: '--set-xmark, --set-mark, --and-mark, --or-mark, --xor-mark',
      decision: 'decided',
      reason: 'changes the mark of the connection',
    },
    {
      options: '--save-mark, --restore-mark',
      decision: 'decided',
      reason: 'copies bits between the marks of the packet and of the connection; does nothing to an untracked packet',
    },
    {
      options: '--left-shift-mark, --right-shift-mark',
      decision: 'unknown',
      reason: 'the shifted bits are unknown from here on',
    },
  ],
  syntax: {
    ...OPERATIONS,
    ...{ '--save-mark': 0, '--restore-mark': 0, '--nfmask': 1, '--ctmask': 1, '--mask': 1 },
    ...{ '--left-shift-mark': 1, '--right-shift-mark': 1 },
  },
  lower: (options, context) => {
    const shifts = options.filter(({ name }) => name === '--left-shift-mark' || name === '--right-shift-mark')
    const effect = lowerConnectionMark(options.filter((option) => !shifts.includes(option)))
    if (effect === undefined) return undefined
    const forgotten = shifts.length === 0 ? [] : [forgetChanged(effect)]
    return actionOf({ kind: 'require', literals: [trackedLiteral(context)] }, effect, ...forgotten)
  },
}

type MarkEffect = Extract<Effect, { readonly kind: 'setMark' | 'copyMark' }>

/** A shift may change any bit of the mark. */
function forgetChanged(effect: MarkEffect): Effect {
  return { kind: 'forgetMark', of: effect.kind === 'setMark' ? effect.of : effect.to, bits: FULL_MASK }
}

function lowerConnectionMark(options: readonly ModuleOption[]): MarkEffect | undefined {
  const operations = options.flatMap((option) => readMarkOperation(option) ?? [])
  const [operation] = operations
  if (operation !== undefined)
    return options.length === 1 ? { kind: 'setMark', of: 'connection', ...operation } : undefined
  const nfmask = readMask(options, '--nfmask')
  const ctmask = readMask(options, '--ctmask')
  const isSaving = hasOption(options, '--save-mark')
  if (nfmask === undefined || ctmask === undefined || isSaving === hasOption(options, '--restore-mark'))
    return undefined
  return isSaving
    ? { kind: 'copyMark', to: 'connection', clear: ctmask, sourceMask: nfmask }
    : { kind: 'copyMark', to: 'packet', clear: nfmask, sourceMask: ctmask }
}

function readMask(options: readonly ModuleOption[], name: string): number | undefined {
  const text = findValue(options, name) ?? findValue(options, '--mask')
  return text === undefined ? FULL_MASK : parseNumber(text, FULL_MASK)
}

/** The mark of the packet is not known. */
export const FORGET_MARK: readonly Action[] = actionOf({ kind: 'forgetMark', of: 'packet', bits: FULL_MASK })

const HMARK: TargetModule = {
  name: 'HMARK',
  meanings: [{ options: '', decision: 'unknown', reason: 'a hash; the mark is unknown from here on' }],
  lower: () => FORGET_MARK,
}

/** conntrack ignores the target for a packet that already has a connection, or is untracked: those that enter by `lo`. */
const UNTRACK: readonly Action[] = actionOf(
  { kind: 'require', literals: [negate(IN_BY_LOOPBACK)] },
  { kind: 'untrack' },
)

const NOTRACK: TargetModule = {
  name: 'NOTRACK',
  meanings: [{ options: '', decision: 'decided', reason: 'the packet is untracked: no nat table translates it' }],
  lower: () => UNTRACK,
}

const CT: TargetModule = {
  name: 'CT',
  meanings: [
    { options: '--notrack', decision: 'decided', reason: 'the packet is untracked: no nat table translates it' },
    {
      options: '--zone, --helper, --timeout, --ctevents, --expevents',
      decision: 'irrelevant',
      reason: 'the first packet of a connection is `NEW` in every zone',
    },
  ],
  syntax: {
    ...{ '--notrack': 0, '--zone': 1, '--zone-orig': 1, '--zone-reply': 1, '--helper': 1, '--timeout': 1 },
    ...{ '--ctevents': 1, '--expevents': 1 },
  },
  lower: (options) => (hasOption(options, '--notrack') ? UNTRACK : actionOf()),
}

export const MARK_TARGETS: readonly TargetModule[] = [MARK, CONNMARK, HMARK, NOTRACK, CT]
