import type { IpFamily } from '@kube-rules/types'
import { parseAddress } from '../../netfilter/parse-address.js'
import { parseProtocolNumber } from '../../netfilter/protocols.js'
import type { IpvsMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeNumber, consumeWord, skipWord, type WordCursor } from '../words.js'
import type { MatchParser, MatchPrinter } from './operations.js'

/** `-m ipvs --vaddr ADDRESS --vproto PROTOCOL --vport PORT`, with all three options. */
export const ipvsMatchPrinter: MatchPrinter<IpvsMatch> = {
  print: ({ address, protocol, port }, style) => {
    const vaddr = `--vaddr ${checkPlainWord(address)}`
    const vproto = `--vproto ${checkPlainWord(protocol)}`
    return `-m ipvs ${style === 'restore' ? `${vaddr} ${vproto}` : `${vproto} ${vaddr}`} --vport ${port}`
  },
  list: ({ address, protocol, port }) =>
    `vproto ${checkPlainWord(protocol)} vaddr ${checkPlainWord(address)} vport ${port}`,
  canonical: (match) => {
    const protocol = String(parseProtocolNumber(match.protocol) ?? match.protocol)
    return protocol === match.protocol ? match : { ...match, protocol }
  },
}

export const ipvsMatchParser: MatchParser<IpvsMatch> = {
  begins: ['-m ipvs'],
  valueOptions: ['--vaddr', '--vproto', '--vport'],
  parse: (words, _negated, family) => {
    const options: Options = {}
    while (readOption(words, options, family));
    const { address, protocol, port } = options
    if (address === undefined || protocol === undefined || port === undefined) return undefined
    return { kind: 'ipvs', address, protocol, port }
  },
}

interface Options {
  address?: string | undefined
  protocol?: string | undefined
  port?: number | undefined
}

function readOption(words: WordCursor, options: Options, family: IpFamily): boolean {
  if (skipWord(words, '--vaddr')) options.address = parseAddress(consumeWord(words) ?? '', family)
  else if (skipWord(words, '--vproto')) options.protocol = consumeWord(words)?.toLowerCase()
  else if (skipWord(words, '--vport')) options.port = consumeNumber(words, 65535)
  else return false
  return true
}
