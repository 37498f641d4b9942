export { type RulesSerializer, rulesSerializer } from '../matchers/rules-serializer.js'
export { type MatcherContext, type MatcherResult, type PacketTo, toReach } from '../matchers/to-reach.js'
