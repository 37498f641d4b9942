import { wordCount } from './prose.mjs'

/**
 * Constructions that make prose hard to read when they are frequent. The patterns are crude and also match correct
 * sentences, so the budget is a rate greater than zero.
 */
const MARKERS = {
  // "of which", "whose": keep the clause next to its noun, or write two sentences.
  relatives: /\b(?:of|by|in|for|from|to|at|behind|with) (?:which|whom)\b|\bwhose\b/gi,
  // "What rules ask of a packet": name the concept with a noun.
  clausesAsNouns: /(?:^|[.;:,(] ?)(?:what|who|whoever|where)\b (?!is\b[^.]*\?)/gim,
  // "does otherwise than": differs from.
  otherwise:
    /\b(?:do|does|is|are|be|did|done|decide|go|goes|has|have|been) (?:something )?otherwise\b|\botherwise than\b/gi,
  // Speech verbs for code, rules and files. Instead: define, match, return, contain, report.
  speech: /\b(?:says?|said|tells?|told|asks?|asked|knows?|answers?|answered)\b/gi,
  // Motion and possession in place of a verb of the field.
  motion: /\b(?:leads?|led|meets?|met|comes? to|came to|stands?|stood|holds?|held|lacks?|goes on|go on)\b/gi,
  // "nobody can tell": unknown, cannot be determined.
  pronouns: /\b(?:nobody|somebody|whoever|everybody|who has|others)\b/gi,
  // "is told", "is held": name the actor, or use a verb of the field.
  passives:
    /\b(?:is|are|was|were|be|been) (?:\w+ )?(?:told|asked|said|taken|given|led|held|kept|made|met|wanted|meant|put|looked at|gone)\b/gi,
  // Order and addition. Instead: after, before, in addition to.
  order: /\b(?:behind|in front|beside|anew)\b/gi,
}

/** Returns the markers in texts (`{ path, line, text }`) by name: `{ rate, findings }`, the rate per 1,000 words. */
export function measureMarkers(texts) {
  const words = texts.reduce((sum, { text }) => sum + wordCount(text), 0)
  return Object.fromEntries(
    Object.entries(MARKERS).map(([name, pattern]) => {
      const findings = texts.flatMap((place) => findAll(pattern, place))
      return [name, { value: ratePerThousand(findings.length, words), findings }]
    }),
  )
}

/** Returns each match in a text as `{ path, line, message }`, with the words around it. */
export function findAll(pattern, { path, line, text }) {
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => ({
    path,
    line,
    message: text
      .slice(Math.max(0, index - 30), index + match.length + 30)
      .replace(/\s+/g, ' ')
      .trim(),
  }))
}

/** Rounds up to a tenth, so that a budget of a measured value holds for it. */
function ratePerThousand(count, words) {
  return words === 0 ? 0 : Math.ceil((10_000 * count) / words) / 10
}
