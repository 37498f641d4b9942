import type { ObjectReference } from '@kube-rules/types'
import { languageNames, languageOf } from '../dataplane/language-of.js'
import { liveLanguageOf } from '../dataplane/live-language-of.js'
import type { Step } from '../dataplane/netfilter/branch.js'
import type { RuleReference } from './view.js'

/** The Service that a service port is of: of `default/web:http/TCP` the Service `default/web`; none for other words. */
export function serviceOf(servicePort: string | undefined): readonly ObjectReference[] {
  const [, namespace, name] = /^([^/]+)\/([^/:]+)(?::[^/]*)?(?:\/[A-Z]+)?$/.exec(servicePort ?? '') ?? []
  return namespace === undefined || name === undefined ? [] : [{ kind: 'Service', namespace, name }]
}

/** The object of `Service default/web` or `KubeProxyConfiguration`. */
export function objectOf(text: string): ObjectReference {
  const [kind = '', place = ''] = text.split(' ')
  const [namespace, name] = place.includes('/') ? place.split('/') : [undefined, place]
  return { kind, ...(namespace !== undefined && { namespace }), name: name ?? '' }
}

/** The rule that applied in a step. */
export function ruleOfStep(step: Step): RuleReference {
  for (const language of languageNames()) {
    const place = liveLanguageOf(language).placeOf?.(step)
    if (place !== undefined) return { language, place, text: step.text }
  }
  return { place: '', text: step.text }
}

/** Of the id of a resource all of it; other words are the text of a rule. */
export function ruleNamed(text: string): RuleReference {
  const language = languageNames().find((name) => languageOf(name).owns(text))
  return language === undefined ? { place: '', text } : { language, place: text, text: '' }
}
