import { describe, expect, it } from 'vitest';
import { lazily, memoizeByIdentity, once } from '../src/memoize.ts';

describe('memoizeByIdentity', () => {
  it('computes once for the same two objects, and again for equal but different ones', () => {
    let computed = 0;
    const memoized = memoizeByIdentity((subject: { name: string }, context: { language: string }) => {
      computed += 1;
      return `${subject.name} in ${context.language}`;
    });
    const subject = { name: 'a' };
    const context = { language: 'en' };
    expect([memoized(subject, context), memoized(subject, context), computed]).toEqual(['a in en', 'a in en', 1]);
    expect([memoized(subject, { language: 'de' }), computed]).toEqual(['a in de', 2]);
    expect([memoized({ name: 'a' }, context), computed]).toEqual(['a in en', 3]);
    expect([memoized(subject, context), computed]).toEqual(['a in en', 3]);
  });
});

describe('once', () => {
  it('computes for the first caller alone, even if the value is undefined', () => {
    let computed = 0;
    const value = once(() => {
      computed += 1;
    });
    expect(computed).toBe(0);
    expect([value(), value(), computed]).toEqual([undefined, undefined, 1]);
  });
});

describe('lazily', () => {
  it('creates a property when it is first read, once', () => {
    const created: string[] = [];
    const create = (name: string) => () => {
      created.push(name);
      return { name };
    };
    const object = lazily({ a: create('a'), b: create('b') });
    expect([Object.keys(object), created]).toEqual([['a', 'b'], []]);
    expect(object.a).toBe(object.a);
    expect([object.a.name, created]).toEqual(['a', ['a']]);
    expect({ ...object }).toEqual({ a: { name: 'a' }, b: { name: 'b' } });
  });
});
