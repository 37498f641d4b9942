import { languageChoices } from '@kube-rules/application/language-choice'
import { languageNames, type Spelling, spellingsOf } from '@kube-rules/compiler/tables'
import { clusterOptions } from '../../options/cluster-options.js'
import { either } from '../../options/either.js'
import { familyChoice } from '../../options/family-choice.js'
import { manifestOptions, objectOptions } from '../../options/input-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const printOptions = {
  ...objectOptions,
  ...clusterOptions,
  ...manifestOptions,
  family: {
    ...familyChoice,
    description:
      'The address families. Default: for json both; for text IPv4,\n' +
      'or IPv6 where no Service has an IPv4 address. As text, both are\n' +
      'printed under the lines # IPv4 and # IPv6.',
  },
  language: {
    type: 'string',
    choices: languageChoices(),
    placeholder: 'LANGUAGE',
    description:
      `Of a mode with several: ${either(languageChoices())},\n` +
      'ready to pipe. Default: all of them, each under a line such as\n# ipset.',
  },
  style: {
    type: 'string',
    choices: spellingNames(),
    placeholder: 'STYLE',
    description:
      'restore: as kube-proxy feeds it to iptables-restore --noflush\n' +
      'or nft -f - (default). save: as iptables-save or\n' +
      'nft list ruleset prints it afterwards. listing, mode ipvs: what\nipvsadm -Ln prints.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'Whose spelling save has: iptables-nft (default) or\niptables-legacy.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description:
      'text: the rules (default). json: the rules, health-check ports,\ncounts and diagnostics in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable

/** Returns the text formats of all subsystems. */
function spellingNames(): readonly Spelling[] {
  return [...new Set(languageNames().flatMap(spellingsOf))]
}
