export { checkIpvs } from '../dataplane/ipvs/check.js'
export { type IpvsProblemCode, parseIpvs } from '../dataplane/ipvs/parse.js'
