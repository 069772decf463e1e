/** The form of one row of the ledger. */
export const ruleSchema = {
  type: 'object',
  required: ['id', 'area', 'profile', 'level', 'basis', 'source', 'says'],
  properties: {
    id: { type: 'string', pattern: '^[a-z0-9]+([.-][a-z0-9]+)+$' },
    area: { type: 'string' },
    profile: { enum: ['core', 'long', 'limits', 'inside', 'deploy', 'lab'] },
    level: { enum: ['must', 'should'] },
    basis: { enum: ['stated', 'inferred', 'open'] },
    source: { type: 'string', minLength: 1 },
    says: { type: 'string', minLength: 1 },
    needs: { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9.-]+$' }, uniqueItems: true },
    parts: { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9.-]+$' }, uniqueItems: true },
    wait: { type: 'string', pattern: '^[0-9]+(s|m|h|d)$' },
    judged: { type: 'string', minLength: 1 },
  },
  additionalProperties: false,
} as const
