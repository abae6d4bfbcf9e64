import { expect, test } from 'vitest';
import { parseConfig } from './config';

const origin = 'http://localhost:4200';

test('the server says where everything is', () => {
  const text = '{"issuer":"https://idp.test/realm","api":"https://api.test/library-server/","clientId":"web","basePath":"/lib/","scopes":"openid","name":"Reading Room"}';
  expect(parseConfig(text, origin)).toEqual({ issuer: 'https://idp.test/realm', api: 'https://api.test/library-server', clientId: 'web', basePath: '/lib/', scopes: 'openid', name: 'Reading Room' });
});

test('an address of the API may be relative to the page', () => expect(parseConfig('{"api":"/api"}', origin).api).toBe('http://localhost:4200/api'));

test('the catalogue is public if the server says so', () => {
  expect(parseConfig('{"publicCatalogue":true}', origin).publicCatalogue).toBe(true);
  expect(parseConfig('{"publicCatalogue":"no"}', origin).publicCatalogue).toBeUndefined();
});

test.each(['', '{}', '{"issuer":7,"basePath":""}'])('%j gives the values of a development machine', (text) => {
  expect(parseConfig(text, origin)).toMatchObject({ clientId: 'library-web', basePath: '/', api: 'http://localhost:9091/library-server' });
});

test.each([['lib', '/lib/'], ['/lib', '/lib/'], ['//', '/']])('the base path %j is %s', (given, want) => {
  expect(parseConfig(JSON.stringify({ basePath: given }), origin).basePath).toBe(want);
});
