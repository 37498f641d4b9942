import type { IpFamily } from '@kube-rules/types'
import type { RecentMatch } from '../ast.js'
import { hostMaskOf } from '../network.js'
import type { RuleFormat } from '../print/rule-format.js'
import { checkPlainWord } from '../quote.js'
import { consumeNumber, consumeWord, peekWord, skipWord, type WordCursor } from '../words.js'
import { type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

const MAX_SECONDS = 0xffffffff

/**
 * `-m recent --name LIST --set` or `--rcheck --seconds N --reap`. The match uses complete source addresses (all bits of
 * the mask are set).
 */
export const recentMatchPrinter: MatchPrinter<RecentMatch> = {
  print: (match, style, family) => `-m recent ${options(match, style, family)}`,
  list: ({ name, action, seconds, reap, negated }, { family }) =>
    [
      `${negated ? '! ' : ''}recent: ${action === 'set' ? 'SET' : 'CHECK'}`,
      ...(seconds === undefined ? [] : [`seconds: ${seconds}`]),
      ...(reap ? ['reap'] : []),
      `name: ${checkPlainWord(name)} side: source mask: ${hostMaskOf(family)}`,
    ].join(' '),
  canonical: unchangedMatch,
}

export const recentMatchParser: MatchParser<RecentMatch> = {
  begins: ['-m recent'],
  valueOptions: ['--name', '--seconds', '--mask'],
  parse: (words, _negated, family) => {
    const options: Options = { name: 'DEFAULT', action: undefined, seconds: undefined, reap: false, negated: false }
    while (isOption(words)) if (!readOption(words, options, family)) return undefined
    const { name, action, seconds, reap, negated } = options
    if (action === undefined || name === '') return undefined
    return { kind: 'recent', name, action, ...(seconds === undefined ? {} : { seconds }), reap, negated }
  },
}

/** Formats the options. iptables-save prints the name of the list last and makes defaults explicit. */
function options(match: RecentMatch, style: RuleFormat, family: IpFamily): string {
  const name = `--name ${checkPlainWord(match.name)}`
  const seconds = match.seconds === undefined ? '' : ` --seconds ${match.seconds}`
  const action = `${match.negated ? '! ' : ''}--${match.action}${seconds}${match.reap ? ' --reap' : ''}`
  return style === 'restore' ? `${name} ${action}` : `${action} ${name} --mask ${hostMaskOf(family)} --rsource`
}

interface Options {
  name: string
  action: RecentMatch['action'] | undefined
  seconds: number | undefined
  reap: boolean
  negated: boolean
}

function isOption(words: WordCursor): boolean {
  const word = peekWord(words)
  return word?.startsWith('--') === true || (word === '!' && words.raw[words.at + 1]?.startsWith('--') === true)
}

/** Parses one option into `options`. Returns false for an option that this kind of match cannot represent. */
function readOption(words: WordCursor, options: Options, family: IpFamily): boolean {
  const negated = skipWord(words, '!')
  const option = consumeWord(words)
  switch (option) {
    case '--set':
    case '--rcheck':
      if (options.action !== undefined) return false
      options.action = option === '--set' ? 'set' : 'rcheck'
      options.negated = negated
      return true
    case '--name':
      options.name = consumeWord(words) ?? ''
      break
    case '--seconds':
      options.seconds = consumeNumber(words, MAX_SECONDS)
      if (!options.seconds) return false
      break
    case '--reap':
      options.reap = true
      break
    case '--rsource':
      break
    case '--mask':
      if (consumeWord(words) !== hostMaskOf(family)) return false
      break
    default:
      return false
  }
  return !negated
}
