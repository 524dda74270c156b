/** A lead as Google Ads posts it (developers.google.com/google-ads/webhook/docs/implementation). */
export const aGoogleLead = (more: object = {}) => ({
  lead_id: 'lead-1',
  user_column_data: [
    { column_id: 'FULL_NAME', column_name: 'Full name', string_value: 'Ana Ruiz' },
    { column_id: 'EMAIL', column_name: 'User email', string_value: 'ana@mail.example' },
    { column_id: 'PHONE_NUMBER', column_name: 'User phone', string_value: '+1 512 555 0188' },
    { column_id: 'CITY', string_value: 'Austin' },
    { column_id: 'REGION', string_value: 'Texas' },
    { column_id: 'when_do_you_want_to_start', column_name: 'When do you want to start?', string_value: 'In spring' },
  ],
  api_version: '1.0',
  form_id: 40_000_000_000,
  campaign_id: 123_456_789,
  google_key: '',
  is_test: false,
  gcl_id: 'a-click',
  adgroup_id: 20_000_000_000,
  creative_id: 30_000_000_000,
  ...more,
})
