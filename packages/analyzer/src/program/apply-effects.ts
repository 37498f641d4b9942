import { addFractions, complementOf, ZERO_FRACTION } from '@kube-rules/compiler/internal/internal/fraction'
import {
  type ChainResult,
  continueInChain,
  endPathAsUnknown,
  exitOfVerdict,
  returnFromChain,
  TOO_MANY_PATHS,
} from './chain-result.js'
import type { EffectContext } from './effect-context.js'
import type { Element } from './elements.js'
import { findElement } from './find-element.js'
import { forkByLiterals } from './fork-by-literals.js'
import { type KernelPacket, sendPacketTo } from './kernel-packet.js'
import { splitByLocality } from './locality.js'
import {
  NEXT_VERDICT,
  OUTPUT_VERDICT,
  type PathState,
  pathsOfDestinations,
  scaleWeight,
  withAssumption,
  withLast,
  withPacket,
  withTranslation,
} from './path-state.js'
import type { ChainReference, Choice, Effect } from './program.js'
import { recordClients, recordLookup, recordTranslation } from './record-reads.js'
import { divide, type RunContext } from './split-path.js'
import { appendStep } from './steps.js'

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/** Follows a path through effects, from the given index on. */
export function applyEffects(
  effects: readonly Effect[],
  path: PathState,
  context: EffectContext,
  first = 0,
): readonly ChainResult[] {
  let current = path
  for (let at = first; at < effects.length; at++) {
    const effect = effects[at] as Effect
    switch (effect.kind) {
      case 'step':
        if (context.run.budget.instructions-- <= 0) return [endPathAsUnknown(current, TOO_MANY_PATHS)]
        current = withLast(current, appendStep(current.last, effect.step, context.run.hook))
        continue
      case 'setMark':
      case 'copyMark':
      case 'forgetMark':
      case 'untrack':
        current = withPacket(current, packetAfter(effect, current.packet))
        continue
      case 'require': {
        const rest = (matching: PathState) => applyEffects(effects, matching, context, at + 1)
        return forkByLiterals(effect.literals, current, context, rest)
      }
      default:
        return endInstruction(effect, current, context)
    }
  }
  return [continueInChain(current)]
}

type PacketEffect = EffectOf<'setMark' | 'copyMark' | 'forgetMark' | 'untrack'>

function packetAfter(effect: PacketEffect, packet: KernelPacket): KernelPacket {
  switch (effect.kind) {
    case 'setMark': {
      const { bits, unknown } = markOf(packet, effect.of)
      return withMark(packet, effect.of, {
        bits: (bits & ~effect.clear) ^ effect.flip,
        unknown: unknown & ~effect.clear,
      })
    }
    case 'copyMark': {
      const [from, to] = [markOf(packet, effect.to === 'packet' ? 'connection' : 'packet'), markOf(packet, effect.to)]
      return withMark(packet, effect.to, {
        bits: (to.bits & ~effect.clear) ^ (from.bits & effect.sourceMask),
        unknown: (to.unknown & ~effect.clear) | (from.unknown & effect.sourceMask),
      })
    }
    case 'forgetMark': {
      const { bits, unknown } = markOf(packet, effect.of)
      return withMark(packet, effect.of, { bits, unknown: unknown | effect.bits })
    }
    case 'untrack':
      return packet.untracked ? packet : { ...packet, untracked: true }
  }
}

interface Mark {
  readonly bits: number
  /** The bits that are unknown. */
  readonly unknown: number
}

function markOf(packet: KernelPacket, of: 'packet' | 'connection'): Mark {
  return of === 'packet'
    ? { bits: packet.mark, unknown: packet.unknownMark ?? 0 }
    : { bits: packet.connectionMark, unknown: packet.unknownConnectionMark ?? 0 }
}

/** Sets a mark. An untracked packet has no connection, and keeps its mark if it should get that of its connection. */
function withMark(packet: KernelPacket, of: 'packet' | 'connection', mark: Mark): KernelPacket {
  const known = markOf(packet, of)
  const unknown = mark.unknown >>> 0
  const bits = (mark.bits & ~unknown) >>> 0
  if ((known.bits === bits && known.unknown === unknown) || (of === 'connection' && packet.untracked)) return packet
  const unknownBits = unknown === 0 ? undefined : unknown
  return of === 'packet'
    ? { ...packet, mark: bits, unknownMark: unknownBits }
    : { ...packet, connectionMark: bits, unknownConnectionMark: unknownBits }
}

type EndingEffect = Exclude<Effect, { readonly kind: 'step' | 'require' | PacketEffect['kind'] }>

/** Applies an effect that is the last one of an instruction. */
function endInstruction(effect: EndingEffect, path: PathState, context: EffectContext): readonly ChainResult[] {
  switch (effect.kind) {
    case 'jump':
      return callChain(effect.chain, path, context).map(returnFromChain)
    case 'goto':
      return callChain(effect.chain, path, context)
    case 'masquerade':
      return [acceptPath(withPacket(path, masquerade(path.packet)))]
    case 'translateDestination':
      return pathsByPort(effect, path).map((each) => acceptPath(translate(effect, each, context.run)))
    case 'redirect':
      return pathsByPort(effect, path).map((each) => acceptPath(redirect(effect, each, context.run)))
    case 'dispatch':
      return dispatch(effect, path, context)
    case 'choose':
      return choose(effect.choices, path, context)
    case 'schedule':
      return schedule(effect, path, context)
    case 'send':
      return pathsByPort(effect, path).flatMap((each) => send(effect, each, context.run))
    case 'unknown':
      return [endPathAsUnknown(path, effect.reason)]
    case 'accept':
    case 'drop':
    case 'reject':
    case 'return':
      return [{ path, exit: exitOfVerdict(effect) }]
  }
}

/** Returns the packet with an address of the node as its source, which is taken to be the one it has if the node sent it. */
function masquerade(packet: KernelPacket): KernelPacket {
  return { ...packet, masqueraded: true, isSourceUnknown: !packet.sentByNode || packet.isSourceUnknown }
}

function callChain({ name, resolve }: ChainReference, path: PathState, context: EffectContext): readonly ChainResult[] {
  const chain = resolve()
  if (chain === 'ignored') return [{ path, exit: 'chain' }]
  return chain === undefined ? [endPathAsUnknown(path, `chain ${name} does not exist`)] : context.call(chain, path)
}

/** Returns the path of each destination if their ports are kept, because the destination becomes the same. */
function pathsByPort({ port }: { readonly port?: number | undefined }, path: PathState): readonly PathState[] {
  return port === undefined || port === 0 ? pathsOfDestinations(path) : [path]
}

function acceptPath(path: PathState): ChainResult {
  return { path, exit: NEXT_VERDICT }
}

function translate(
  { address, port }: EffectOf<'translateDestination'>,
  path: PathState,
  { reads }: RunContext,
): PathState {
  recordTranslation(reads)
  if (address === undefined) return withPort(path, port)
  const { packet } = path
  return withTranslation(path, sendPacketTo(packet, address, port ?? packet.destinationPort, 'dnat'))
}

/** Returns the path after its packets kept their destination address and got this port. */
function withPort(path: PathState, port: number | undefined): PathState {
  const { packet, destinations } = path
  const destinationPort = port ?? packet.destinationPort
  const translated = withPacket(path, { ...packet, destinationPort, translatedBy: 'dnat' })
  if (destinations === undefined) return translated
  return { ...translated, destinations: destinations.map((each) => ({ ...each, port: port ?? each.port })) }
}

const LOOPBACK = { IPv4: '127.0.0.1', IPv6: '::1' } as const

/**
 * A packet that the node generated is redirected to the loopback address, any other packet to an address of the
 * incoming interface. This address is unknown, so the loopback address represents it.
 */
function redirect({ port }: EffectOf<'redirect'>, path: PathState, { reads }: RunContext): PathState {
  recordTranslation(reads)
  const { packet } = path
  return withTranslation(path, {
    ...packet,
    destination: LOOPBACK[packet.family],
    destinationPort: port ?? packet.destinationPort,
    translatedBy: packet.inInterface === '' ? 'redirect' : 'redirectToInterface',
  })
}

function dispatch(effect: EffectOf<'dispatch'>, path: PathState, context: EffectContext): readonly ChainResult[] {
  const { fields, elements, effectsOf, unknownReason, ifUnknown } = effect
  const { reads } = context.run
  const set = elements()
  const followUnknown = (part: PathState) =>
    ifUnknown === undefined ? [endPathAsUnknown(part, unknownReason())] : applyEffects(ifUnknown, part, context)
  if (set === undefined) return followUnknown(path)
  const find = (packet: KernelPacket): Element | 'none' | 'unknown' => {
    if (reads !== undefined) recordLookup({ fields, elements }, packet, reads)
    const element = findElement(set, fields, packet)
    return element === 'none' && set.isPartlyUnknown ? 'unknown' : element
  }
  return divide(path, find, (element) => element).flatMap(({ path: part, value: element }) => {
    if (element === 'none') return [continueInChain(part)]
    if (element === 'unknown') return followUnknown(part)
    return applyEffects(effectsOf(element), part, context)
  })
}

function choose(choices: readonly Choice[], path: PathState, context: EffectContext): readonly ChainResult[] {
  const results = choices.flatMap((choice) => applyEffects(choice.effects, pathOfChoice(choice, path), context))
  if (choices.some(({ share }) => share === undefined)) return results
  const sum = choices.reduce((total, { share }) => addFractions(total, share ?? ZERO_FRACTION), ZERO_FRACTION)
  const rest = complementOf(sum)
  return rest.numerator === 0 ? results : [...results, continueInChain(scaleWeight(path, rest))]
}

function pathOfChoice({ share, condition }: Choice, path: PathState): PathState {
  if (share !== undefined) return scaleWeight(path, share)
  return condition === undefined ? path : withAssumption(path, condition, true)
}

function schedule(effect: EffectOf<'schedule'>, path: PathState, context: EffectContext): readonly ChainResult[] {
  const { server, persistence, choices, otherwise } = effect
  const { run } = context
  if (persistence !== undefined && run.reads !== undefined)
    recordClients(run.reads, persistence.name, persistence.seconds)
  const taken = withPacket(path, { ...path.packet, virtualServer: server })
  const keptBy = ({ source }: KernelPacket) =>
    persistence === undefined ? undefined : run.facts.persistentServer(persistence.name, source)
  return divide(taken, keptBy, (name) => name).flatMap(({ path: part, value: name }) => {
    const kept = name === undefined ? undefined : choices.find((choice) => choice.name === name)
    if (kept !== undefined) return applyEffects(kept.effects, part, context)
    const open = choices.filter(({ share, condition }) => share !== undefined || condition !== undefined)
    return open.length === 0 ? applyEffects(otherwise, part, context) : choose(open, part, context)
  })
}

function send({ address, port }: EffectOf<'send'>, path: PathState, run: RunContext): readonly ChainResult[] {
  recordTranslation(run.reads)
  const { packet } = path
  const destinationPort = port === 0 ? packet.destinationPort : port
  const sent = withTranslation(path, sendPacketTo(packet, address, destinationPort, 'server'))
  const { local, away } = splitByLocality(sent, run)
  return [
    ...local.map((each): ChainResult => ({ path: each, exit: NEXT_VERDICT })),
    ...away.map((each): ChainResult => ({ path: each, exit: OUTPUT_VERDICT })),
  ]
}
